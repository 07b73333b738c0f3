// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What dialogs and pages have in a row: a field after its label, and buttons of their own beside
// Close.

#include <QString>

class QDialogButtonBox;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QWidget;

namespace headlight {

/// Adds a label and the field that its mnemonic leads to. The label gets the field's parent.
QLabel* addLabeledField(QHBoxLayout* row, const QString& text, QWidget* field);

/// Adds a button that Enter in a field does not press. An empty `tip`: its text says it all.
QPushButton* addDialogButton(QDialogButtonBox* buttons, const QString& text, const char* name,
                             const QString& tip = {});

/// Enables a widget, with `tip`; or disables it, with `why` as its tip where that is not empty.
void setUsable(QWidget* widget, const QString& tip, const QString& why);

}  // namespace headlight
