"""Contact sheets of what pictures show: biomes, caves, mobs, the viewer, blocks and items.

python -m experiments.gallery --out=gallery
python -m experiments.gallery --out=gallery --only=mobs,blocks
"""
