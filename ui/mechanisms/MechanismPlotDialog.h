// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pictures that the open model's mechanism alone has. Not modal: it follows the layer, the head
// and the token of the window, also while the pointer moves over its picture.

#include <QDialog>

#include "core/workbench/mechanisms/MechanismPlotPages.h"
#include "ui/bridge/MechanismPlotBridge.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QStackedWidget;

namespace headlight {

class MessageLabel;
class MechanismPlotPanels;
class PanelsPlot;

class MechanismPlotDialog : public QDialog {
  Q_OBJECT
 public:
  MechanismPlotDialog(Document* document, MechanismPlotBridge* bridge, QWidget* parent = nullptr);

  MechanismPlotPanels* panels() const { return m_panels; }
  PanelsPlot* curves() const { return m_curves; }
  QString stateText() const;
  /// .png, .svg and .pdf as headlight-cli attend --show NAME draws it, or the numbers as .csv.
  void save(const QString& path);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  enum Part { kHead, kLayer, kAllLayers };
  void makeFields();
  QWidget* makeButtons();
  void fillOffers();
  MechanismPlotChoice choice() const;
  MechanismPlotStyle ownStyle() const;
  void request();
  void refresh();
  void showCurves(const MechanismPlot& picture);
  void chooseHead(int layer, int head);
  QString aboutText() const;
  void choosePath();

  Document* m_document;
  MechanismPlotBridge* m_bridge;
  QComboBox *m_pictures, *m_parts;
  QCheckBox* m_shared;
  QLabel *m_meaning, *m_state;
  QStackedWidget* m_pages;
  QScrollArea *m_panelsRoom, *m_curvesRoom;
  MechanismPlotPanels* m_panels;
  PanelsPlot* m_curves;
  MessageLabel* m_status;
  QPushButton* m_export = nullptr;
};

}  // namespace headlight
