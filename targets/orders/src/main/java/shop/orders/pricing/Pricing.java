package shop.orders.pricing;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.stereotype.Service;

/** Prices on threads of its own, so that however many people ask, orders are still taken and shown. */
@Service
public class Pricing {

    private static final long PATIENCE_S = 5;

    private final ThreadPoolTaskExecutor pricingPool;
    private final PriceCalculator calculator;

    Pricing(ThreadPoolTaskExecutor pricingPool, PriceCalculator calculator) {
        this.pricingPool = pricingPool;
        this.calculator = calculator;
    }

    /**
     * The price of each purchase, in their order.
     *
     * @throws PricingBusy when no thread gets to it in time
     */
    public List<Price> prices(List<Purchase> purchases) {
        return onPool(() -> calculator.prices(purchases));
    }

    /**
     * The price of a purchase with what more of it would cost.
     *
     * @throws PricingBusy when no thread gets to it in time
     */
    public Quote quote(Purchase purchase) {
        return onPool(() -> calculator.quote(purchase));
    }

    private <T> T onPool(Callable<T> work) {
        try {
            Future<T> result = pricingPool.submit(work);
            return result.get(PATIENCE_S, TimeUnit.SECONDS);
        } catch (TaskRejectedException | TimeoutException busy) {
            throw new PricingBusy(busy);
        } catch (ExecutionException failed) {
            throw new IllegalStateException("A price could not be calculated", failed.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new PricingBusy(stopped);
        }
    }
}
