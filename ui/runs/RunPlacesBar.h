// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The folders whose runs are listed, in one line, with buttons to add and remove folders.

#include <QWidget>

class QLabel;
class QMenu;
class QPushButton;

namespace headlight {

class RunPlaces;

class RunPlacesBar : public QWidget {
  Q_OBJECT
 public:
  explicit RunPlacesBar(RunPlaces* places, QWidget* parent = nullptr);

  void askForMore();  ///< a folder, to be added
  QMenu* menu() const { return m_menu; }

 private:
  void refresh();
  void fillMenu();

  RunPlaces* m_places;
  QLabel* m_text;
  QPushButton *m_add, *m_folders;
  QMenu* m_menu;
};

}  // namespace headlight
