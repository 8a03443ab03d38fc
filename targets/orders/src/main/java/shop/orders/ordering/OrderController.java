package shop.orders.ordering;

import jakarta.validation.Valid;
import java.net.URI;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** One order: placing it and looking it up. Lists of orders are the business of reporting. */
@RestController
@RequestMapping("/orders")
class OrderController {

    private final Ordering ordering;

    OrderController(Ordering ordering) {
        this.ordering = ordering;
    }

    @GetMapping("/{id}")
    Order order(@PathVariable long id) {
        return ordering.order(id);
    }

    @PostMapping
    ResponseEntity<Order> place(@Valid @RequestBody NewOrder request) {
        Order order = ordering.place(request);
        return ResponseEntity.created(URI.create("/orders/" + order.id())).body(order);
    }
}
