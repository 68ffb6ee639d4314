"""What the classifiers `topk_svc` and `multilabel_svc` are made of.

warm_duals  starting duals from an earlier fit    softmax     the probabilities of the entropy
solving     fits to the gap that "auto" stands for    thresholds  which of the ordered labels are predicted
"""
