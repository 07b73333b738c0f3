"""What Pillow makes of RandAugment's operations: python3 pillow_operations.py JOBS

Each line of JOBS: input.ppm operation argument interpolation red green blue output. The output is
the image's bytes, RGB. Operations are named and written in Pillow's terms as in timm.
"""
import sys

from PIL import Image, ImageEnhance, ImageOps

ENHANCE = {'Color': ImageEnhance.Color, 'Contrast': ImageEnhance.Contrast,
           'Brightness': ImageEnhance.Brightness, 'Sharpness': ImageEnhance.Sharpness}
FILTER = {'bilinear': Image.Resampling.BILINEAR, 'bicubic': Image.Resampling.BICUBIC}


def moved(image, name, value, settings):
    matrix = {'ShearX': (1, value, 0, 0, 1, 0), 'ShearY': (1, 0, 0, value, 1, 0),
              'TranslateXRel': (1, 0, value * image.width, 0, 1, 0),
              'TranslateYRel': (1, 0, 0, 0, 1, value * image.height)}[name]
    return image.transform(image.size, Image.Transform.AFFINE, matrix, **settings)


def changed(image, name, value, settings):
    name = name.replace('Increasing', '')
    if name in ENHANCE:
        return ENHANCE[name](image).enhance(value)
    if name == 'SolarizeAdd':
        tones = [min(255, i + int(value)) if i < 128 else i for i in range(256)]
        return image.point(tones * 3)
    if name == 'Rotate':
        return image.rotate(value, **settings)
    simple = {'AutoContrast': ImageOps.autocontrast, 'Equalize': ImageOps.equalize,
              'Invert': ImageOps.invert}
    if name in simple:
        return simple[name](image)
    whole = {'Posterize': ImageOps.posterize, 'Solarize': ImageOps.solarize}
    if name in whole:
        return whole[name](image, int(value))
    return moved(image, name, value, settings)


for line in open(sys.argv[1]):
    source, operation, argument, interpolation, red, green, blue, target = line.split()
    settings = {'resample': FILTER[interpolation], 'fillcolor': (int(red), int(green), int(blue))}
    result = changed(Image.open(source), operation, float(argument), settings)
    open(target, 'wb').write(result.tobytes())
