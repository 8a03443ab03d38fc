package shop.orders.pricing;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

/** More prices are being asked for than can be calculated. */
@ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
public class PricingBusy extends RuntimeException {

    PricingBusy(Throwable cause) {
        super("Too many prices are being asked for", cause);
    }
}
