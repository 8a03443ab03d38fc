package shop.orders;

import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.servlet.AutoConfigureMockMvc;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;

/** With so few recent orders, each new one retires one that is on the first page of the list. */
@SpringBootTest(properties = {"orders.recent=3", "spring.datasource.url=jdbc:h2:mem:race;MODE=PostgreSQL"})
@AutoConfigureMockMvc
class ListWhileOrderingTest {

    private static final int NEW_ORDERS = 300;

    @Autowired
    private MockMvc http;

    @Test
    void aPageIsListedWhileOrdersOnItAreRetired() throws Exception {
        var ordering = CompletableFuture.runAsync(this::placeOrders);
        while (!ordering.isDone()) {
            http.perform(get("/orders")).andExpect(status().isOk());
        }
        ordering.join();
    }

    private void placeOrders() {
        String order = "{\"customer\": 7, \"lines\": [{\"product\": 3, \"quantity\": 1}]}";
        try {
            for (int i = 0; i < NEW_ORDERS; i++) {
                http.perform(post("/orders").contentType(MediaType.APPLICATION_JSON).content(order))
                        .andExpect(status().isCreated());
            }
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }
}
