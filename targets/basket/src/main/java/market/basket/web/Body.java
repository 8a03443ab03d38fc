package market.basket.web;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import market.basket.goods.Assortment;
import market.basket.goods.Product;
import market.basket.store.NewBasket;

/** The basket that a request brings, checked. */
record Body(Assortment assortment) {

    private static final String WHAT =
            "a basket is a JSON object with customer, town and lines of product and quantity";
    private static final int LONGEST_NAME = 60;
    private static final int LAST_TOWN = 999;
    private static final int MOST_LINES = 50;
    private static final int MOST_PIECES = 1_000;

    NewBasket basket(RoutingContext context) {
        try {
            JsonObject body = context.body().asJsonObject();
            if (body != null && body.getJsonArray("lines") != null) {
                return new NewBasket(customer(body), number(body, "town", 0, LAST_TOWN), lines(body));
            }
        } catch (DecodeException | ClassCastException notOne) {
            // Told below.
        }
        throw new BadRequest(WHAT);
    }

    private List<NewBasket.Wanted> lines(JsonObject body) {
        JsonArray lines = body.getJsonArray("lines");
        if (lines.isEmpty() || lines.size() > MOST_LINES) {
            throw new BadRequest("a basket has 1 to " + MOST_LINES + " lines");
        }
        var wanted = new ArrayList<NewBasket.Wanted>();
        for (int i = 0; i < lines.size(); i++) {
            wanted.add(wanted(lines.getJsonObject(i)));
        }
        return wanted;
    }

    private NewBasket.Wanted wanted(JsonObject line) {
        if (line == null) {
            throw new BadRequest(WHAT);
        }
        Product product = assortment
                .find(number(line, "product", 1, Integer.MAX_VALUE))
                .orElseThrow(() -> new BadRequest("there is no such product"));
        return new NewBasket.Wanted(product, number(line, "quantity", 1, MOST_PIECES));
    }

    private static String customer(JsonObject body) {
        String customer = body.getString("customer");
        if (customer == null || customer.isBlank() || customer.length() > LONGEST_NAME) {
            throw new BadRequest("customer must be given, with at most " + LONGEST_NAME + " characters");
        }
        return customer;
    }

    private static int number(JsonObject object, String name, int least, int most) {
        Integer number = object.getInteger(name);
        if (number == null || number < least || number > most) {
            throw new BadRequest(name + " must be a number from " + least + " to " + most);
        }
        return number;
    }
}
