// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What one side of a comparison shows, and choosing another: its model, its masks, its picture.

#include <QToolButton>
#include <QWidget>

#include <functional>

#include "ui/document/DocumentReference.h"

namespace headlight {

class Document;
class GalleryModel;
class RecentPaths;
class CompareLoader;

/// Whose models and pictures are offered; each may be null.
struct CompareSideOffers {
  RecentPaths* recent = nullptr;
  GalleryModel* gallery = nullptr;
};

/// A button with a menu that shortens its text to the room it has.
class ChoiceButton : public QToolButton {
  Q_OBJECT
 public:
  ChoiceButton(const QString& name, const QString& title, QWidget* parent);
  /// `brief` stands where there is no room for all of `text`; empty: as much of it as fits.
  void setChoice(const QString& text, const QString& brief = {});
  QSize minimumSizeHint() const override { return {48, QToolButton::minimumSizeHint().height()}; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void shorten();
  QString m_title, m_choice, m_brief;
};

class SideChooser : public QWidget {
  Q_OBJECT
 public:
  /// `title`: "left". All outlive it.
  SideChooser(const QString& title, Document* window, CompareLoader* bridge,
              const CompareSideOffers& offers, QWidget* parent);

  /// Shows what the bridge's side is.
  void readSide();

 Q_SIGNALS:
  void chosen(const headlight::CompareSide& side);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void fillModels();
  void fillMasks();
  void fillPictures();
  void addModel(const QString& text, const QString& model);
  void addCheckpointsOf(const QString& run);
  void addMasks(const QString& text, SideMasks masks, const QString& scheme = {});
  void addPicture(const QString& text, const QString& picture);
  void chooseModel(const QString& model);
  void askForFile(const QString& title, const QString& filter,
                  const std::function<void(CompareSide&, const QString&)>& take);

  Document* m_window;
  CompareLoader* m_bridge;
  CompareSideOffers m_offers;
  ChoiceButton *m_model, *m_masks, *m_picture;
};

}  // namespace headlight
