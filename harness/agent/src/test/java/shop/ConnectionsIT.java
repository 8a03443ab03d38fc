package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.List;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What pools and drivers ask of a database by themselves is nobody's statement. */
@ExtendWith(Counted.class)
class ConnectionsIT {
    /** Its driver asks "is it valid" by a statement, and settles each new connection by some. */
    private static final String DATABASE = "jdbc:sqlite::memory:";

    private static HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(DATABASE);
        pool.setMaximumPoolSize(1);
        return pool;
    }

    private static void ask(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeQuery("select 1").close();
        }
    }

    @Test
    void aPoolThatChecksByTheDriverAsksNothing() throws Exception {
        try (HikariDataSource pool = pool()) {
            checkedByTheDriver(pool);
            checkedByTheDriver(pool);
            checkedByTheDriver(pool);
        }
        assertEquals(List.of(3L, 0L, 0L), Told.counts(ConnectionsIT.class, "checkedByTheDriver"));
    }

    private static void checkedByTheDriver(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            assertTrue(connection.isValid(1));
            statement.executeQuery("select 1").close();
        }
    }

    @Test
    void aPoolThatChecksByAStatementAsksNothing() throws Exception {
        try (HikariDataSource pool = pool()) {
            pool.setConnectionTestQuery("select 2");
            pool.setConnectionInitSql("select 3");
            checkedByAStatement(pool);
            checkedByAStatement(pool);
        }
        assertEquals(List.of(2L, 0L, 0L), Told.counts(ConnectionsIT.class, "checkedByAStatement"));
    }

    private static void checkedByAStatement(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeQuery("select 1").close();
        }
    }

    @Test
    void aConnectionThatIsOpenedAsksNothing() throws Exception {
        try (Connection connection = DriverManager.getConnection(DATABASE + "?foreign_keys=true&busy_timeout=100");
                Statement statement = connection.createStatement()) {
            statement.executeQuery("select 1").close();
        }
        assertEquals(List.of(1L, 0L, 0L), Told.counts(ConnectionsIT.class, "aConnectionThatIsOpenedAsksNothing"));
    }

    @Test
    void whatASourceOfTheApplicationAsksIsItsOwn() throws Exception {
        try (HikariDataSource pool = pool()) {
            ask(new Tenants(pool));
        }
        assertEquals(List.of(1L, 0L, 0L), Told.counts(Tenants.class, "getConnection"));
        assertEquals(List.of(1L, 0L, 0L), Told.counts(ConnectionsIT.class, "ask"));
    }

    /** Tells the database whose connection it is before it hands it out. */
    private static final class Tenants implements DataSource {
        private final DataSource pool;

        Tenants(DataSource pool) {
            this.pool = pool;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = pool.getConnection();
            try (Statement statement = connection.createStatement()) {
                statement.execute("select 'of this tenant'");
            }
            return connection;
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }

        @Override
        public PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("wraps nothing");
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
