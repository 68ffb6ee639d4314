def ascend_by_newton_steps(model, recorder, report):
    pass
