"""Protected tables that leave the house: the folder that is handed out, the one that stays, questions about both."""
