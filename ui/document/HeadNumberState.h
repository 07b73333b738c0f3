// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The numbers that a document shows of every head, and how alike its layers are: of a recorded
// step, of the newest result, or averaged over a dataset.

#include <QObject>
#include <QString>

#include <optional>

#include "ui/document/DisplayedHeadNumbers.h"

namespace headlight {

class Document;

class HeadNumberState : public QObject {
  Q_OBJECT
 public:
  explicit HeadNumberState(const Document& document) : m_document(document) {}

  /// Which number is shown.
  const HeadNumbers& heads() const { return m_heads; }
  void setHeads(const HeadNumbers& numbers);
  /// Nothing for the mean of heads (−1) and where the head has no such number.
  std::optional<double> value(int layer, int head) const;
  /// As a share of the scale of all heads, in [0, 1]: a bar's length.
  double share(double value) const;
  /// What uniform attention would give in this layer.
  std::optional<double> chance(int layer) const;
  QString text(double value) const;
  /// "attention entropy, of this image", "…, mean of 64 images".
  QString describe() const;

  /// ALS as recorded, else of the newest result.
  std::optional<float> locality(int layer, int head) const;
  /// α that a soft head has now: as recorded, else as the newest result's weights have learned it,
  /// before there is one as the open weights have. Nothing where the head is not soft.
  std::optional<float> alpha(int layer, int head) const;

  /// Similarity of layers: of the image, or averaged over a dataset.
  const LayerNumbers& layers() const { return m_layers; }
  void setLayers(const LayerNumbers& numbers);

 Q_SIGNALS:
  void changed();
  void layersChanged();

 private:
  friend class Document;  // those averaged over a dataset are of one model
  void forgetLayers() { m_layers.values.reset(); }

  const Document& m_document;
  HeadNumbers m_heads;
  LayerNumbers m_layers;
  double m_largest = 1;  ///< of values that are no shares
};

}  // namespace headlight
