package shop.orders.ordering;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** The threads that write confirmations. */
@Configuration(proxyBeanMethods = false)
class ConfirmationThreads {

    @Bean
    ThreadPoolTaskExecutor confirmationsPool() {
        var pool = new ThreadPoolTaskExecutor();
        pool.setThreadNamePrefix("confirmations-");
        pool.setCorePoolSize(2);
        pool.setQueueCapacity(1_000);
        pool.setWaitForTasksToCompleteOnShutdown(true);
        pool.setAwaitTerminationSeconds(5);
        return pool;
    }
}
