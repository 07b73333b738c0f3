#pragma once
// A side of a comparison looked at in another way than by attention: a heatmap on one scale with
// the other side's, colours, or the prediction by depth.

#include <QStackedWidget>

#include "ui/attribution/WaysView.h"

namespace headlight {

class SideBridge;

class ComparedHeat : public WayPicture {
  Q_OBJECT
 public:
  ComparedHeat(Document* side, WaysBridge* ways, const SideBridge* bridge, QWidget* parent);
  /// Whose scale it shares; both outlive each other's last use.
  void setOther(const ComparedHeat* other);
  /// By itself, on its own scale.
  std::optional<MapLayer> ownMap() const { return WayPicture::currentMap(); }
  /// The other side has found something.
  void refresh() { refreshMap(); }

 protected:
  std::optional<MapLayer> currentMap() const override;
  Legend currentLegend() const override;
  QString hint() const override;

 private:
  bool sharesScale() const;

  const ComparedHeat* m_other = nullptr;
  const SideBridge* m_bridge;
};

class ComparedWay : public QStackedWidget {
  Q_OBJECT
 public:
  /// All outlive it.
  ComparedWay(Document* side, SideBridge* bridge, QWidget* parent);

  /// Whose scale and colours it shares; both outlive each other's last use.
  void setOther(ComparedWay* other);
  ComparedHeat* heat() const { return m_heat; }
  WaysBridge* ways() const { return m_ways; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void request();
  void refresh();

  Document* m_document;
  const SideBridge* m_bridge;
  WaysBridge* m_ways;
  ComparedHeat* m_heat;
  RunCurvesPlot* m_depth;
  ComparedWay* m_other = nullptr;
};

}  // namespace headlight
