"""class_confusion_loss that counts over all examples instead of those of the class."""

from tests.mutants._altered import altered

FUNCTION = "class_confusion_loss"
REASON = "differs from the ground truth"
PHRASE = "expected"

RIGHT = "np.mean(predicted[y == label] != c)"
WRONG = "np.mean(predicted != c)"
class_confusion_loss = altered("wsabie_losses", RIGHT, WRONG).class_confusion_loss
