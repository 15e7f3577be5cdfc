"""From a specification to an answer: build, assess, protect, audit, each in one call; what command line and API use."""
