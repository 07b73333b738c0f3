// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Layers (rows) × heads (columns), a cell a head: color and letter = kind, bar = ALS, number = R
// or α; both come from the newest result and the masks, or from those of a training step that was
// chosen. A click selects a head and shows it, a drag paints with the brush; where the view paints
// with clicks, so does a click. Keys edit the selection. Layers that no mask acts on are hatched:
// they can be selected and inspected, but edits skip them.

#include <QAbstractScrollArea>

#include <functional>
#include <optional>

#include "ui/masks/BrushStroke.h"
#include "ui/masks/CellEdits.h"
#include "ui/masks/CellSelection.h"
#include "ui/masks/MaskMatrixPainter.h"
#include "ui/masks/MatrixLayout.h"

namespace headlight {

class Document;

class MaskMatrix : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit MaskMatrix(Document* document, QWidget* parent = nullptr);

  const HeadMask& brush() const { return m_brush; }
  void setBrush(const HeadMask& brush);

  bool paintsOnClick() const;
  void setPaintsOnClick(bool on);  ///< in the view, which the session keeps

  /// Makes the small map of a head, of at most so many pixels; null where there is none. Drawn where
  /// cells have room for it.
  using Thumbnails = std::function<QImage(const HeadPlace& head, const QSize& pixels)>;
  void setThumbnails(Thumbnails thumbnails);

  std::vector<HeadPlace> selection() const { return m_selection.cells(); }
  std::optional<HeadPlace> current() const { return m_selection.current(); }
  void select(const std::vector<HeadPlace>& cells);  ///< cells that do not exist are left out
  void selectPlace(const MatrixPlace& place);        ///< what it covers
  void selectAll();

  CellEdits& edits() { return m_edits; }
  /// One undo step that gives `cells` the mask.
  void setMask(const std::vector<HeadPlace>& cells, const HeadMask& mask);
  /// The brush on `cells`, or none where they all have it already.
  void toggleBrush(const std::vector<HeadPlace>& cells);
  /// The soft masks of the selection, or all where nothing is selected, forget the α they learned.
  void resetAlphas();

  /// In the viewport's coordinates; where there is no such cell, an empty rectangle.
  QRect cellRect(const HeadPlace& cell) const { return layOut().cellRect(cell); }
  QRect rowHeaderRect(int layer) const { return layOut().rowHeaderRect(layer); }
  QRect columnHeaderRect(int head) const { return layOut().columnHeaderRect(head); }
  QRect cornerRect() const { return m_layout.cornerRect(); }
  /// What the tooltip of a cell says.
  QString describeCell(const HeadPlace& cell) const;

  QSize sizeHint() const override { return m_layout.preferredSize(); }
  QSize minimumSizeHint() const override { return m_layout.smallestSize(); }

 Q_SIGNALS:
  void brushChanged(const HeadMask& brush);
  void selectionChanged();

 protected:
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void followModel();  ///< a scheme of another shape: forget the selection, lay out again
  void fit();
  MatrixLayout layOut() const;  ///< as it is scrolled now
  MatrixPlace placeAt(const QPoint& position) const;
  void showCurrent();
  void announce();  ///< selection changed: repaint, tell screen readers
  void beginStroke(const QPoint& position);
  void strokeTo(const QPoint& position);
  void look(const MatrixPlace& place);  ///< shows the head in the image; of a row, the mean
  void followView();
  bool handleMaskKey(const QKeyEvent& event);
  bool handleMoveKey(const QKeyEvent& event);
  MatrixCell cellToPaint(const HeadPlace& cell) const;

  Document* m_document;
  HeadMask m_brush;
  CellEdits m_edits;
  CellSelection m_selection;
  BrushStroke m_stroke;
  QPoint m_strokeEnd;     ///< where the mouse was last
  MatrixPlace m_pressed;  ///< of a click that becomes a stroke once the mouse leaves it
  QPoint m_pressedAt;
  Thumbnails m_thumbnails;
  MatrixPlace m_hover;
  MatrixLayout m_layout;
};

}  // namespace headlight
