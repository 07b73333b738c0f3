#pragma once
// A push button with its line icon, name for tests and styles, and tooltip.

#include <QPushButton>

#include <initializer_list>

class QHBoxLayout;

namespace headlight {

/// `icon` as lineIcon() knows it.
QPushButton* iconButton(QWidget* parent, const char* name, const QString& text, const char* icon,
                        const QString& tip);

/// Appends buttons to a row without margins.
QHBoxLayout* layOutButtons(QWidget* row, std::initializer_list<QPushButton*> buttons);

}  // namespace headlight
