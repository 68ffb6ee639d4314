"""Rankings and their losses."""
