package market.basket.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import market.basket.goods.Product;

/** The pool of connections, to tables that are filled anew. */
public final class Database implements AutoCloseable {

    private static final int CONNECTIONS = 10;

    private final HikariDataSource pool;

    private Database(HikariDataSource pool) {
        this.pool = pool;
    }

    /**
     * Connects to `url`, and drops and fills all tables.
     *
     * @throws SQLException when the database refuses
     */
    public static Database filled(String url) throws SQLException {
        var config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername("sa");
        config.setPoolName("basket");
        config.setMaximumPoolSize(CONNECTIONS);
        var database = new Database(new HikariDataSource(config));
        database.fill();
        return database;
    }

    public DataSource connections() {
        return pool;
    }

    public List<Product> products() throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("select id, name, cents, grams from products order by id");
                ResultSet rows = statement.executeQuery()) {
            var products = new ArrayList<Product>();
            while (rows.next()) {
                products.add(new Product(
                        rows.getInt("id"), rows.getString("name"), rows.getInt("cents"), rows.getInt("grams")));
            }
            return products;
        }
    }

    @Override
    public void close() {
        pool.close();
    }

    private void fill() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(script());
        }
    }

    private static String script() {
        try (InputStream script = Database.class.getResourceAsStream("/schema.sql")) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
