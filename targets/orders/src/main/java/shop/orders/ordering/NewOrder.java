package shop.orders.ordering;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.util.List;

/** What a customer sends to place an order. */
public record NewOrder(
        @NotNull @Positive Integer customer,
        @Size(max = 200) String note,
        @NotEmpty @Size(max = 10) List<@Valid @NotNull Item> lines) {

    /** So many pieces of one product. */
    public record Item(@NotNull @Positive Integer product, @NotNull @Positive @Max(1000) Integer quantity) {}
}
