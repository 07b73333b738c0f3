"""What Pillow makes of small pictures: resized, cropped as timm evaluates, and decoded.

    python3 make_goldens.py        (Pillow 9.4, torchvision 0.14, ImageMagick 6)

writes, beside itself:
  input.png                 a procedural picture with flat parts, edges, gradients and noise
  resize/NNN.png, resize/cases.txt
                            lines "file filter width height left top right bottom" (a box of input.png)
  view/NNN.png, view/cases.txt
                            lines "file filter size crop": Resize, CenterCrop as timm evaluates
  formats/*                 one small picture in many formats; formats/expected/<name>.png is the same
                            read by Pillow: upright, over white, RGB; formats/dropped/<name>.png
                            those with transparent pixels as timm reads them: convert('RGB')
"""
import math
import subprocess
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps
from torchvision import transforms

HERE = Path(__file__).resolve().parent
FILTERS = {'nearest': Image.Resampling.NEAREST, 'bilinear': Image.Resampling.BILINEAR,
           'bicubic': Image.Resampling.BICUBIC}


def procedural(width, height):
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    red = 127 + 127 * np.sin(x * x / 90 + y / 7)
    green = np.where((x // 5 + y // 7) % 2 == 0, 250, 3 + 2 * x)
    blue = np.where(x + y < 60, 0, 255 * y / height)
    picture = np.stack([red, green, blue], -1)
    noise = np.random.default_rng(7).integers(0, 256, picture.shape)
    corner = (x > 0.7 * width) & (y > 0.6 * height)
    picture[corner] = noise[corner]
    return Image.fromarray(picture.clip(0, 255).astype(np.uint8))


def resizing(source):
    folder = HERE / 'resize'
    folder.mkdir(exist_ok=True)
    whole = (0, 0, *source.size)
    jobs = [(f, size, whole) for f in FILTERS
            for size in ((35, 23), (27, 47), (71, 16), (9, 60), (110, 73), (5, 3), (1, 1))]
    boxes = ((3.25, 7.5, 50.75, 40.125), (10, 5, 66, 42), (40.1, 20.2, 41.3, 22.9))
    jobs += [(f, size, box) for f in FILTERS for box in boxes for size in ((24, 24),)]
    lines = []
    for index, (name, size, box) in enumerate(jobs):
        source.resize(size, FILTERS[name], box=box).save(folder / f'{index:03}.png', optimize=True)
        lines.append(' '.join(map(str, (f'{index:03}.png', name, *size, *box))))
    (folder / 'cases.txt').write_text('\n'.join(lines) + '\n')


def viewing(source):
    folder = HERE / 'view'
    folder.mkdir(exist_ok=True)
    lines = []
    for index, (name, size, crop) in enumerate((('bicubic', 64, 0.9), ('bicubic', 50, 0.875),
                                                ('bilinear', 33, 1.0), ('bicubic', 72, 0.95),
                                                ('nearest', 40, 0.9))):
        interpolation = transforms.InterpolationMode(name)
        view = transforms.Compose([transforms.Resize(math.floor(size / crop), interpolation),
                                   transforms.CenterCrop(size)])
        view(source).save(folder / f'{index:03}.png', optimize=True)
        lines.append(f'{index:03}.png {name} {size} {crop}')
    (folder / 'cases.txt').write_text('\n'.join(lines) + '\n')


def expected(path):
    """As decodeImage promises: upright, over white, 16 bits divided by 257, RGB."""
    image = Image.open(path)
    if path.suffix != '.tif':  # those Pillow turns upright itself
        image = ImageOps.exif_transpose(image)
    if image.mode.startswith('I'):
        image = Image.fromarray(np.rint(np.asarray(image) / 257).astype(np.uint8))
    if 'transparency' in image.info or image.mode in ('LA', 'PA', 'RGBA'):
        image = image.convert('RGBA')
        image = Image.alpha_composite(Image.new('RGBA', image.size, 'white'), image)
    return image.convert('RGB')


def dropping(folder):
    (folder / 'dropped').mkdir(exist_ok=True)
    for path in sorted(folder.iterdir()):
        if path.stem.startswith('alpha') or path.stem.endswith(('_alpha', '_clear')):
            dropped = Image.open(path).convert('RGB')
            dropped.info.pop('transparency', None)  # else its file is transparent again
            dropped.save(folder / 'dropped' / f'{path.name}.png', optimize=True)


def formats():
    folder = HERE / 'formats'
    (folder / 'expected').mkdir(parents=True, exist_ok=True)
    y, x = np.mgrid[0:10, 0:14]
    colours = np.stack([18 * x, 25 * y, 255 - 9 * x - 12 * y], -1).clip(0, 255).astype(np.uint8)
    colours[:3, :4] = (200, 40, 90)
    rgb = Image.fromarray(colours)
    rgba = rgb.copy()
    rgba.putalpha(Image.fromarray((17 * x + 3 * y).clip(0, 255).astype(np.uint8)))
    grey = rgb.convert('L')
    sixteen = Image.fromarray((x * 4600 + y * 400).astype(np.uint16))

    for extension in ('png', 'bmp', 'tif'):
        rgb.save(folder / f'rgb.{extension}')
        grey.save(folder / f'grey.{extension}')
        rgb.convert('P', palette=Image.Palette.ADAPTIVE, colors=16).save(folder / f'palette.{extension}')
        rgb.convert('1').save(folder / f'bits.{extension}')
    for extension in ('png', 'tif'):
        rgba.save(folder / f'alpha.{extension}')
        sixteen.save(folder / f'sixteen.{extension}')
    rgba.convert('LA').save(folder / 'grey_alpha.png')
    rgb.quantize(5).save(folder / 'palette_bits.png', bits=4)
    rgb.quantize(16).save(folder / 'palette_clear.png', transparency=3)
    grey.save(folder / 'grey_clear.png', transparency=int(np.asarray(grey)[0, 0]))
    rgb.save(folder / 'rgb_clear.png', transparency=(200, 40, 90))
    rgb.save(folder / 'lossless.webp', lossless=True)
    rgba.save(folder / 'alpha.webp', lossless=True, exact=True)
    rgb.save(folder / 'lossy.webp', quality=80)
    rgb.save(folder / 'rgb.jpg', quality=90)
    rgb.save(folder / 'progressive.jpg', quality=90, progressive=True)
    grey.save(folder / 'grey.jpg', quality=90)
    rgb.convert('CMYK').save(folder / 'cmyk.jpg', quality=95)
    rgb.convert('CMYK').save(folder / 'cmyk.tif')
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[274] = orientation
        rgb.save(folder / f'turn{orientation}.jpg', quality=90, exif=exif)
        rgb.save(folder / f'turn{orientation}.tif', tiffinfo={274: orientation})
        if orientation in (3, 6):
            rgb.save(folder / f'turn{orientation}.png', exif=exif)
            rgb.save(folder / f'turn{orientation}.webp', exif=exif, lossless=True)
    source = folder / 'rgb.png'
    for options, name in (('-endian MSB -compress lzw', 'big_endian.tif'),
                          ('-define tiff:tile-geometry=16x16 -compress zip', 'tiles.tif'),
                          ('-depth 16', 'sixteen_rgb.tif'), ('-interlace PNG', 'interlaced.png')):
        subprocess.run(['convert', source, '-strip', *options.split(), folder / name], check=True)
    for path in sorted(folder.iterdir()):
        if not path.is_file():
            continue
        if path.name == 'sixteen_rgb.tif':  # a kind that Pillow 9.4 does not open; made from rgb.png
            rgb.save(folder / 'expected' / f'{path.name}.png')
        else:
            expected(path).save(folder / 'expected' / f'{path.name}.png', optimize=True)
    dropping(folder)


if __name__ == '__main__':
    picture = procedural(71, 47)
    picture.save(HERE / 'input.png', optimize=True)
    resizing(picture)
    viewing(picture)
    formats()
