package shop.orders.catalogue;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The products of the shop. */
@Repository
public class Catalogue {

    private static final String SELECT = "select id, name, category, list_price_cents from products ";

    private final JdbcClient jdbc;

    Catalogue(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    public Optional<Product> find(int id) {
        return jdbc.sql(SELECT + "where id = :id").param("id", id).query(Catalogue::product).optional();
    }

    /** Products by id; ids that do not exist are left out. */
    public Map<Integer, Product> findAll(Collection<Integer> ids) {
        return jdbc.sql(SELECT + "where id in (:ids)")
                .param("ids", ids)
                .query(Catalogue::product)
                .list()
                .stream()
                .collect(Collectors.toMap(Product::id, Function.identity()));
    }

    /** The first {@code limit} products of some categories, by category and id. */
    public List<Product> inCategories(Collection<String> categories, int limit) {
        return jdbc.sql(SELECT + "where category in (:categories) order by category, id limit :limit")
                .param("categories", categories)
                .param("limit", limit)
                .query(Catalogue::product)
                .list();
    }

    private static Product product(ResultSet row, int number) throws SQLException {
        return new Product(
                row.getInt("id"), row.getString("name"), row.getString("category"), row.getLong("list_price_cents"));
    }
}
