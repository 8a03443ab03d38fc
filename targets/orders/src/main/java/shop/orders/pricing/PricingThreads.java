package shop.orders.pricing;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** The threads that calculate prices. */
@Configuration(proxyBeanMethods = false)
class PricingThreads {

    @Bean
    ThreadPoolTaskExecutor pricingPool() {
        var pool = new ThreadPoolTaskExecutor();
        pool.setThreadNamePrefix("pricing-");
        pool.setCorePoolSize(4);
        pool.setQueueCapacity(200);
        return pool;
    }
}
