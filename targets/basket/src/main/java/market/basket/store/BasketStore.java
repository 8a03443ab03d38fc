package market.basket.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import market.basket.goods.Product;

/** Baskets in the database. Every method waits for it. */
public final class BasketStore {

    private static final long LAST_OF_SAMPLE = 2_000;
    private static final int KEPT = 50;

    private static final String BASKET =
            """
            select b.customer, b.town, l.quantity, p.id, p.name, p.cents, p.grams
            from baskets b
            join basket_lines l on l.basket_id = b.id
            join products p on p.id = l.product_id
            where b.id = ?
            order by l.position
            """;

    private static final String PARCEL =
            """
            select b.town, sum(l.quantity * p.grams) as grams
            from baskets b
            join basket_lines l on l.basket_id = b.id
            join products p on p.id = l.product_id
            where b.id = ?
            group by b.town
            """;

    private static final String NEW_BASKET = "insert into baskets (customer, town) values (?, ?)";
    private static final String NEW_LINE =
            "insert into basket_lines (basket_id, position, product_id, quantity) values (?, ?, ?, ?)";
    private static final String OLD_BASKET = "delete from baskets where id = ?";

    private final DataSource connections;

    public BasketStore(DataSource connections) {
        this.connections = connections;
    }

    /** A basket with its lines: one statement, however many lines there are. */
    public Optional<Basket> find(long id) throws SQLException {
        try (Connection connection = connections.getConnection();
                PreparedStatement statement = connection.prepareStatement(BASKET)) {
            statement.setLong(1, id);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    return Optional.empty();
                }
                String customer = rows.getString("customer");
                int town = rows.getInt("town");
                return Optional.of(new Basket(id, customer, town, lines(rows)));
            }
        }
    }

    /** What a carrier must know of a basket. */
    public Optional<Parcel> parcel(long id) throws SQLException {
        try (Connection connection = connections.getConnection();
                PreparedStatement statement = connection.prepareStatement(PARCEL)) {
            statement.setLong(1, id);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next()
                        ? Optional.of(new Parcel(rows.getInt("town"), rows.getInt("grams")))
                        : Optional.empty();
            }
        }
    }

    /** Stores a basket, and drops the oldest of those that were added, so that tables stay as large as they are. */
    public long add(NewBasket basket) throws SQLException {
        try (Connection connection = connections.getConnection()) {
            connection.setAutoCommit(false);
            try {
                long id = addBasket(connection, basket);
                addLines(connection, id, basket.lines());
                dropOldest(connection, id);
                connection.commit();
                return id;
            } catch (SQLException failed) {
                connection.rollback();
                throw failed;
            }
        }
    }

    // From the row that `rows` is at.
    private static List<Basket.Line> lines(ResultSet rows) throws SQLException {
        var lines = new ArrayList<Basket.Line>();
        do {
            lines.add(new Basket.Line(product(rows), rows.getInt("quantity")));
        } while (rows.next());
        return lines;
    }

    private static Product product(ResultSet row) throws SQLException {
        return new Product(row.getInt("id"), row.getString("name"), row.getInt("cents"), row.getInt("grams"));
    }

    private static long addBasket(Connection connection, NewBasket basket) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(NEW_BASKET, Statement.RETURN_GENERATED_KEYS)) {
            statement.setString(1, basket.customer());
            statement.setInt(2, basket.town());
            statement.executeUpdate();
            try (ResultSet keys = statement.getGeneratedKeys()) {
                keys.next();
                return keys.getLong("id");
            }
        }
    }

    private static void addLines(Connection connection, long id, List<NewBasket.Wanted> lines) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(NEW_LINE)) {
            int position = 0;
            for (NewBasket.Wanted line : lines) {
                addLine(statement, id, ++position, line.product().id(), line.quantity());
            }
            statement.executeBatch();
        }
    }

    private static void addLine(PreparedStatement batch, long id, int position, int product, int quantity)
            throws SQLException {
        batch.setLong(1, id);
        batch.setInt(2, position);
        batch.setInt(3, product);
        batch.setInt(4, quantity);
        batch.addBatch();
    }

    // Ids count up by one: each new basket has one to replace, and no two of them the same.
    private static void dropOldest(Connection connection, long id) throws SQLException {
        if (id - KEPT <= LAST_OF_SAMPLE) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(OLD_BASKET)) {
            statement.setLong(1, id - KEPT);
            statement.executeUpdate();
        }
    }
}
