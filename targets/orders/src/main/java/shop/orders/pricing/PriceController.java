package shop.orders.pricing;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Positive;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import shop.orders.catalogue.Catalogue;
import shop.orders.catalogue.Product;

/** What would it cost? */
@RestController
class PriceController {

    private final Catalogue catalogue;
    private final Pricing pricing;

    PriceController(Catalogue catalogue, Pricing pricing) {
        this.catalogue = catalogue;
        this.pricing = pricing;
    }

    @GetMapping("/price")
    Quote price(
            @RequestParam int product,
            @RequestParam @Positive @Max(1000) int quantity,
            @RequestParam(defaultValue = "standard") String level) {
        Product wanted = catalogue
                .find(product)
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no such product"));
        return pricing.quote(new Purchase(wanted, quantity, level));
    }
}
