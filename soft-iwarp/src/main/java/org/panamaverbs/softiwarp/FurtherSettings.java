package org.panamaverbs.softiwarp;

import java.util.List;
import org.panamaverbs.Setting;

/** The settings of a module that is built on this one. {@link java.util.ServiceLoader} finds it, so this module need not know the other. */
public interface FurtherSettings {
    /** Settings whose names begin as those of this module do. */
    List<Setting<?>> settings();
}
