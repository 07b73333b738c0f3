// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The plots of the open model's mechanism. Not modal: it follows the window's layer, head and
// token, also while the pointer moves over the image.

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
  /// Writes .png, .svg or .pdf like headlight-cli attend --show NAME, or the numbers as .csv.
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
  MechanismPlotStyle plotStyle() const;
  void request();
  void refresh();
  void showCurves(const MechanismPlot& image);
  void chooseHead(int layer, int head);
  QString aboutText() const;
  void choosePath();

  Document* m_document;
  MechanismPlotBridge* m_bridge;
  QComboBox *m_images, *m_parts;
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
