// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A push button with its line icon, name for tests and styles, and tooltip.

#include <QPushButton>

#include <initializer_list>

class QHBoxLayout;
class QToolButton;

namespace headlight {

/// `icon` as lineIcon() knows it.
QPushButton* iconButton(QWidget* parent, const char* name, const QString& text, const char* icon,
                        const QString& tip);

/// The same as a flat button that shows its icon alone.
QToolButton* iconToolButton(QWidget* parent, const QString& name, const QString& icon,
                            const QString& tip);

/// Appends buttons to a row without margins.
QHBoxLayout* layOutButtons(QWidget* row, std::initializer_list<QPushButton*> buttons);

}  // namespace headlight
