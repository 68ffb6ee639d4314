"""What `wsabie` needs: the `gradients` of a step in the embedding."""
