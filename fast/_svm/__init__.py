"""The kernels of the top-k SVM (`topk_svm`), its losses (`losses`), TopPush and SVMperf (`topk_baselines`).

hinge        the loss of one example            shortlist    the duals that may still move, and passes over them
dual_step    the biased projection of a step    conjugate    passes that are accelerated by conjugate directions
steps        steps over all classes             top_rank     steps for TopPush and SVMperf, which share a threshold
"""
