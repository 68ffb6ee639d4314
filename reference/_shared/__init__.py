"""What several families share: `cutting_planes` minimises, and `synthetic` draws the data that `datasets` offers."""
