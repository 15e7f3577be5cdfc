"""``python -m tacita`` is the command line."""

from tacita.cli import main

if __name__ == "__main__":
    main()
