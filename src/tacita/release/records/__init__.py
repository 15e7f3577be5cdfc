"""What releases of records share: identifiers, order, spelling, dictionary, and the look for hidden values."""
