"""What `multilabel` needs: the losses of one example in `rows`, and the best row of duals in `dual_step`."""
