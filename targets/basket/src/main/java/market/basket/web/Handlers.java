package market.basket.web;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import market.basket.delivery.Deliveries;
import market.basket.goods.Assortment;
import market.basket.goods.Product;
import market.basket.store.Basket;
import market.basket.store.BasketStore;
import market.basket.store.NewBasket;
import market.basket.store.Parcel;

/** Requests for baskets and products. They run on the event loop, and leave to workers what waits. */
final class Handlers {

    private final Assortment assortment;
    private final BasketStore store;
    private final Deliveries deliveries;
    private final Workers workers;

    Handlers(Assortment assortment, BasketStore store, Deliveries deliveries, Workers workers) {
        this.assortment = assortment;
        this.store = store;
        this.deliveries = deliveries;
        this.workers = workers;
    }

    Future<JsonObject> product(RoutingContext context) {
        int id = (int) id(context, Integer.MAX_VALUE);
        return Future.succeededFuture(json(there(assortment.find(id), "product")));
    }

    Future<JsonObject> basket(RoutingContext context) {
        long id = id(context, Long.MAX_VALUE);
        return workers.run(() -> store.find(id)).map(found -> json(there(found, "basket")));
    }

    Future<JsonObject> add(RoutingContext context) {
        NewBasket basket = new Body(assortment).basket(context);
        return workers.run(() -> store.add(basket)).map(id -> {
            context.response().setStatusCode(201);
            return new JsonObject().put("id", id).put("cents", basket.cents());
        });
    }

    Future<JsonObject> delivery(RoutingContext context) {
        long id = id(context, Long.MAX_VALUE);
        return workers.run(() -> store.parcel(id))
                .compose(found -> offer(context.vertx(), there(found, "basket")))
                .map(offer -> new JsonObject(offer).put("basket", id));
    }

    private Future<String> offer(Vertx vertx, Parcel parcel) {
        Context loop = vertx.getOrCreateContext();
        return Future.fromCompletionStage(deliveries.offer(parcel), loop)
                .recover(failed -> Future.failedFuture(new NoOffer(failed)));
    }

    private static long id(RoutingContext context, long most) {
        String text = context.pathParam("id");
        if (text.matches("\\d{1,18}") && Long.parseLong(text) <= most) {
            return Long.parseLong(text);
        }
        throw new BadRequest("an id is a number");
    }

    private static <T> T there(Optional<T> found, String what) {
        return found.orElseThrow(() -> new NotFound("there is no such " + what));
    }

    private static JsonObject json(Basket basket) {
        var lines = new JsonArray();
        for (Basket.Line line : basket.lines()) {
            lines.add(new JsonObject()
                    .put("product", json(line.product()))
                    .put("quantity", line.quantity())
                    .put("cents", line.cents()));
        }
        return new JsonObject()
                .put("id", basket.id())
                .put("customer", basket.customer())
                .put("town", basket.town())
                .put("lines", lines)
                .put("cents", basket.cents());
    }

    private static JsonObject json(Product product) {
        return new JsonObject()
                .put("id", product.id())
                .put("name", product.name())
                .put("cents", product.cents())
                .put("grams", product.grams());
    }
}
