// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The panels of a mechanism's own picture, a tile a layer's head, as core draws them. The pointer
// is told value and place; a click chooses the head.

#include <QImage>
#include <QStringList>
#include <QWidget>

#include <map>
#include <memory>
#include <vector>

#include "core/workbench/mechanisms/MechanismPlotPages.h"

namespace headlight {

class MechanismPlotPanels : public QWidget {
  Q_OBJECT
 public:
  explicit MechanismPlotPanels(QWidget* parent = nullptr);

  /// `picture` may be null: nothing. `view`: what the model saw, below a heat; `grid`: the model's,
  /// for words. `room`: as large as the tiles are to fit into.
  void setPicture(std::shared_ptr<const MechanismPlot> picture, const MechanismPlotStyle& style,
                  const Image& view, const Grid& grid);
  void setRoom(const QSize& room);
  /// Outlined.
  void setChosen(int layer, int head);
  int tiles() const { return static_cast<int>(m_shown.size()); }
  QRect tileRect(int tile) const;                             ///< of the picture in it
  const QStringList& captions() const { return m_captions; }  ///< of the tiles
  /// What is under this point, with its value: "layer 0, head 1 · offset (−2, 3): 0.12"; empty:
  /// nothing.
  QString textAt(const QPointF& position) const;
  QString scaleText() const;  ///< "scale 0 to 1", "each on a scale of its own"; empty: nothing

 Q_SIGNALS:
  void pointed(const QString& text);     ///< empty: at nothing
  void headChosen(int layer, int head);  ///< −1: all heads share it

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void layOut();
  bool keepsLayers(int columns) const;
  void makeCaptions();
  int tileAt(const QPointF& position) const;
  const MechanismPlotPanel& panelOf(int tile) const;
  const QImage& imageOf(int tile);
  QString placeOf(int tile) const;
  QString rangeOf(int tile) const;
  QString placeText(const MechanismPlotPanel& panel, int row, int col) const;

  std::shared_ptr<const MechanismPlot> m_picture;
  MechanismPlotStyle m_style;
  Image m_view;
  Grid m_grid;
  std::vector<std::size_t> m_shown;  ///< panels
  std::map<int, QImage> m_images;    ///< of tiles that were seen
  QStringList m_captions;
  QSize m_room;
  int m_columns = 1, m_side = 1;
  int m_layer = -1, m_head = -1;
};

}  // namespace headlight
