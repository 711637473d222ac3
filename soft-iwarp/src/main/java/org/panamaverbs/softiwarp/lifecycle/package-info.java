/** Which object closes with which other one. */
package org.panamaverbs.softiwarp.lifecycle;
