// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A setting of a sweep and its values, with a menu of values if the setting has a fixed list.

#include <QWidget>

#include "ui/runs/SweepWish.h"

class QComboBox;
class QLineEdit;
class QMenu;
class QToolButton;

namespace headlight {

class SweepSettingRow : public QWidget {
  Q_OBJECT
 public:
  explicit SweepSettingRow(QWidget* parent = nullptr);

  SweepWish::Setting setting() const;
  void setSetting(const SweepWish::Setting& setting);
  bool isEmpty() const;  ///< not filled in

 Q_SIGNALS:
  void changed();
  void removed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void showKind();
  void fillMenu();
  void toggle(const QString& value, bool on);

  QComboBox* m_path;
  QLineEdit* m_values;
  QToolButton* m_choose;
  QMenu* m_menu;
};

}  // namespace headlight
