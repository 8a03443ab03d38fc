package shop.orders.ordering;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

/** An order is well formed, but names something that does not exist. */
@ResponseStatus(HttpStatus.BAD_REQUEST)
class InvalidOrder extends RuntimeException {

    InvalidOrder(String what, int id) {
        super("There is no " + what + " " + id);
    }
}
