package shop.orders;

import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasSize;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.actuate.observability.AutoConfigureObservability;
import org.springframework.boot.test.autoconfigure.web.servlet.AutoConfigureMockMvc;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.ResultActions;

@SpringBootTest(properties = "orders.recent=3")
@AutoConfigureMockMvc
@AutoConfigureObservability(tracing = false)
class OrdersTest {

    private static final String ORDER =
            """
            {"customer": 7, "note": "Ring twice.", "lines": [{"product": 3, "quantity": 100}]}
            """;

    @Autowired
    private MockMvc http;

    @Test
    void listsOrdersPageByPage() throws Exception {
        http.perform(get("/orders").param("page", "1"))
                .andExpect(status().isOk())
                .andExpect(content().contentType(MediaType.APPLICATION_JSON))
                .andExpect(jsonPath("$.page").value(1))
                .andExpect(jsonPath("$.orders", hasSize(50)))
                .andExpect(jsonPath("$.orders[0].customer.email", containsString("@")));
        http.perform(get("/orders").param("page", "1000"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.orders", hasSize(0)));
    }

    @Test
    void showsOneOrderOrSaysThereIsNone() throws Exception {
        http.perform(get("/orders/12"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.id").value(12))
                .andExpect(jsonPath("$.customer").value(13))
                .andExpect(jsonPath("$.lines", hasSize(11)));
        http.perform(get("/orders/999999")).andExpect(status().isNotFound());
    }

    @Test
    void placesAnOrderAndConfirmsIt() throws Exception {
        String location = place(ORDER)
                .andExpect(status().isCreated())
                .andExpect(jsonPath("$.lines[0].position").value(1))
                .andExpect(jsonPath("$.note").value("Ring twice."))
                .andReturn()
                .getResponse()
                .getHeader("Location");
        await().untilAsserted(
                () -> http.perform(get(location)).andExpect(jsonPath("$.status").value("confirmed")));
    }

    @Test
    void keepsOnlyTheLatestOfTheNewOrders() throws Exception {
        String first = place(ORDER).andReturn().getResponse().getHeader("Location");
        for (int i = 0; i < 3; i++) {
            http.perform(get(first)).andExpect(status().isOk());
            place(ORDER);
        }
        http.perform(get(first)).andExpect(status().isNotFound());
        http.perform(get("/orders/2000")).andExpect(status().isOk());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "not JSON",
                "{\"customer\": 1, \"lines\": []}",
                "{\"customer\": 1, \"lines\": [{\"product\": 1, \"quantity\": 0}]}",
                "{\"customer\": 1, \"lines\": [null]}",
                "{\"customer\": 1, \"lines\": [{\"product\": 12345, \"quantity\": 1}]}",
                "{\"customer\": 12345, \"lines\": [{\"product\": 1, \"quantity\": 1}]}"
            })
    void refusesAnOrderThatMakesNoSense(String order) throws Exception {
        place(order).andExpect(status().isBadRequest());
    }

    @Test
    void quotesAPriceWithWhatMoreWouldCost() throws Exception {
        http.perform(get("/price").param("product", "3").param("quantity", "20"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.price.quantity").value(20))
                .andExpect(jsonPath("$.ladder", hasSize(12)))
                .andExpect(jsonPath("$.ladder[0].quantity").value(22));
        http.perform(get("/price").param("product", "3").param("quantity", "-1")).andExpect(status().isBadRequest());
        http.perform(get("/price").param("product", "999").param("quantity", "1")).andExpect(status().isNotFound());
    }

    @Test
    void reportsOnACustomer() throws Exception {
        http.perform(get("/report").param("customer", "42"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.customer.id").value(42))
                .andExpect(jsonPath("$.orders", hasSize(4)))
                .andExpect(jsonPath("$.suggestions", hasSize(60)));
        http.perform(get("/report").param("customer", "0")).andExpect(status().isNotFound());
    }

    @Test
    void saysThatItIsReadyAndShowsItsMetrics() throws Exception {
        http.perform(get("/actuator/health/readiness")).andExpect(status().isOk());
        http.perform(get("/orders/1"));
        http.perform(get("/actuator/prometheus"))
                .andExpect(status().isOk())
                .andExpect(content().string(containsString("http_server_requests_seconds_bucket")))
                .andExpect(content().string(containsString("hikaricp_connections_usage_seconds_count")))
                .andExpect(content().string(containsString("name=\"pricingPool\"")));
    }

    private ResultActions place(String order) throws Exception {
        return http.perform(post("/orders").contentType(MediaType.APPLICATION_JSON).content(order));
    }
}
