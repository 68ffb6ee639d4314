"""The kernels of the top-k SVM (`topk_svm`, `topk_svm_parts`), its losses (`losses`), and `topk_baselines`.

sdca_step          steps over all or listed classes    dual_lists   duals as lists that grow and shrink
biased_projection  the projection in such a step       shortlist    which duals may still move
ascent             epochs, each with a certificate     conjugate    passes accelerated by conjugate directions
hinge              the loss of one example             weights      scores and updates, by layout
models             features or inner products          top_rank     TopPush and SVMperf, which share a threshold
parts              examples in parts, each with its own duals
"""
