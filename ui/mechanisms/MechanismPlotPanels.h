// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tiles of a mechanism plot, one per head, as core draws them. Value and position under the
// pointer are reported; a click chooses the head.

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

  /// `image` may be null: nothing. `view`: the model's input, drawn below a heatmap; `grid`: the
  /// model's, for texts. `room`: the size that the tiles must fit into.
  void setImage(std::shared_ptr<const MechanismPlot> image, const MechanismPlotStyle& style,
                const Image& view, const Grid& grid);
  void setRoom(const QSize& room);
  /// The outlined head.
  void setChosen(int layer, int head);
  int tiles() const { return static_cast<int>(m_shown.size()); }
  QRect tileRect(int tile) const;                             ///< the image area of a tile
  const QStringList& captions() const { return m_captions; }  ///< of the tiles
  /// The position and value under a point: "layer 0, head 1 · offset (−2, 3): 0.12"; empty: none.
  QString textAt(const QPointF& position) const;
  QString scaleText() const;  ///< "scale 0 to 1", "one scale per tile"; empty: none

 Q_SIGNALS:
  void pointed(const QString& text);     ///< empty: not over a tile
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

  std::shared_ptr<const MechanismPlot> m_image;
  MechanismPlotStyle m_style;
  Image m_view;
  Grid m_grid;
  std::vector<std::size_t> m_shown;  ///< panels
  std::map<int, QImage> m_images;    ///< of tiles already painted
  QStringList m_captions;
  QSize m_room;
  int m_columns = 1, m_side = 1;
  int m_layer = -1, m_head = -1;
};

}  // namespace headlight
