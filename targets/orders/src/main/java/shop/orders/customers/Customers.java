package shop.orders.customers;

import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The customers of the shop. */
@Repository
public class Customers {

    private final JdbcClient jdbc;

    Customers(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    public Optional<Customer> find(int id) {
        return jdbc.sql("select id, name, email, level from customers where id = :id")
                .param("id", id)
                .query((row, number) -> new Customer(
                        row.getInt("id"), row.getString("name"), row.getString("email"), row.getString("level")))
                .optional();
    }
}
