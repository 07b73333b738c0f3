// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One row of a ParameterForm: label, editor, a way back to the default, and what is wrong.

#include <QObject>

#include "core/config/Parameter.h"

class QGridLayout;
class QLabel;
class QToolButton;
class QWidget;

namespace headlight {

class MessageLabel;

class ParameterField : public QObject {
  Q_OBJECT
 public:
  /// Puts its widgets into two rows of `grid`, beginning at `row`.
  ParameterField(const Parameter& parameter, const QString& path, QGridLayout* grid, int row,
                 QWidget* parent);

  const Parameter& parameter() const { return m_parameter; }
  QString name() const { return QString::fromStdString(m_parameter.name); }
  QString help() const;
  QWidget* editor() const { return m_editor; }

  void setValue(const Json& value);
  Json value() const;
  void setDefault(const Json& value);
  /// A number's least value is shown as a word ("last" for -1). Once.
  void setMinimumText(const QString& text);
  bool isDefault() const;

  /// Wrong by itself, else what setOuterError said; empty if fine.
  QString error() const;
  void setOuterError(const QString& text);
  /// `why` comes first in the tip while it cannot be changed.
  void setReadOnly(bool readOnly, const QString& why = {});
  void setVisible(bool visible);
  /// Puts its widgets there instead, under another title.
  void moveTo(QGridLayout* grid, int row, const QString& title);
  bool isVisible() const { return m_visible; }

 Q_SIGNALS:
  void changed();  ///< by the person

 private:
  QWidget* makeEditor(QWidget* parent);
  void place(QGridLayout* grid, int row);
  void refresh();
  void refreshTip();
  QString defaultText() const;

  const Parameter& m_parameter;
  std::string m_path;
  Json m_default;
  QString m_title;
  QLabel* m_label;
  QWidget* m_editor;
  QToolButton* m_reset;
  MessageLabel* m_error;
  QString m_outerError;
  bool m_visible = true;
  bool m_readOnly = false;
  QString m_whyReadOnly;
  bool m_setting = false;
};

/// "learning_rate" → "Learning rate", "mlp_ratio" → "MLP ratio".
QString parameterTitle(const std::string& name);

}  // namespace headlight
