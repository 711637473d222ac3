package org.panamaverbs.spi;

import java.util.List;
import org.panamaverbs.Setting;

/**
 * The settings of a module that is no provider. {@link java.util.ServiceLoader} finds it, and then every
 * {@link org.panamaverbs.Configuration} knows them, as it knows those of providers.
 */
public interface DeclaredSettings {
    /**
     * The settings.
     *
     * @return their names begin with {@code panamaverbs.}; a name that is declared already is not taken
     */
    List<Setting<?>> settings();
}
