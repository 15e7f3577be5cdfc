"""What recoding and suppression cost, one measure per file: functions of levels, classes and nulls, not of records."""
