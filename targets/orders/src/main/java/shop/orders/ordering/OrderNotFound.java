package shop.orders.ordering;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

/** There is no order of that number, or no more. */
@ResponseStatus(HttpStatus.NOT_FOUND)
class OrderNotFound extends RuntimeException {

    OrderNotFound(long id) {
        super("There is no order " + id);
    }
}
