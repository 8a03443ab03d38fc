package shop;

import java.io.IOException;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Has the calls of this JVM counted: the agent begins once somebody asks. */
final class Counted implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        Told.all();
    }
}
