// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text that came from a file (names of classes, models, images; messages about them), as it may
// be shown: nothing in it reverses, hides or formats the text around it.

#include <QString>

#include <string>

namespace headlight {

/// U+FFFD for every control character but ends of lines and tabs, for the marks that turn the
/// direction of what follows, and for those by which Qt's text documents mark their own structure.
QString shownText(const QString& text);

/// The same on one line.
QString displayName(const QString& name);
QString displayName(const std::string& name);

/// For tool tips, which take what looks like markup for markup.
QString plainToolTip(const QString& text);

}  // namespace headlight
