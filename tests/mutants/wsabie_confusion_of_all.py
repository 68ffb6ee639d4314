"""class_confusion_loss that counts over all examples where those of the class belong."""

from wsabie_altered import altered

RIGHT = "np.mean(predicted[y == label] != c)"
WRONG = "np.mean(predicted != c)"
class_confusion_loss = altered("wsabie_losses", RIGHT, WRONG).class_confusion_loss
