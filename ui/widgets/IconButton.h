#pragma once
// A push button with its line icon, name for tests and styles, and tooltip.

#include <QPushButton>

namespace headlight {

/// `icon` as lineIcon() knows it.
QPushButton* iconButton(QWidget* parent, const char* name, const QString& text, const char* icon,
                        const QString& tip);

}  // namespace headlight
